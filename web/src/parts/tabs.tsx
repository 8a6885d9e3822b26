// Parts of a view, each with an address of its own.

export function Tabs({ label, tabs }: { label: string; tabs: { text: string; href: string; current: boolean }[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.current ? 'page' : undefined}>{tab.text}</a>
      ))}
    </nav>
  );
}
