// The heading of a view. It gets the focus when the view opens, so that the keyboard and screen readers start there.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

// The first view after the page was loaded leaves the focus alone.
let first = true;

export function Title({ text, children }: { text: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · Penstock`;
    if (!first) heading.current?.focus();
    first = false;
  }, [text]);
  return (
    <div class="title">
      <h1 ref={heading} tabIndex={-1}>{text}</h1>
      {children}
    </div>
  );
}
