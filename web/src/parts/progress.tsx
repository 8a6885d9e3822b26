// A bar of parts in proportion to their numbers. The text beside it has the figures.

export interface Part {
  label: string;
  n: number;
  tone: string;
}

export function Bar({ parts, total, label }: { parts: Part[]; total: number; label: string }) {
  const shown = parts.filter((part) => part.n > 0);
  const text = shown.map((part) => `${part.n} ${part.label}`).join(', ');
  return (
    <div class="bar" role="img" aria-label={`${label}: ${text || 'none'}`} title={text}>
      {shown.map((part) => (
        <span key={part.label} class={`part ${part.tone}`} style={{ flexGrow: part.n }} />
      ))}
      <span class="part rest" style={{ flexGrow: Math.max(0, total - shown.reduce((sum, part) => sum + part.n, 0)) }} />
    </div>
  );
}

export function Progress({ n, total, label }: { n: number; total: number; label: string }) {
  return <progress value={Math.min(n, total)} max={Math.max(1, total)} aria-label={label} />;
}
