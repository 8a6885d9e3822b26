// A labeled control. The label is above it, the hint below.

import type { ComponentChildren } from 'preact';

export function Field(props: { label: string; hint?: string; class?: string; children: ComponentChildren }) {
  return (
    <label class={`field ${props.class ?? ''}`}>
      <span>{props.label}</span>
      {props.children}
      {props.hint && <small>{props.hint}</small>}
    </label>
  );
}

export function Text(props: {
  value: string;
  onInput: (value: string) => void;
  name?: string;
  placeholder?: string;
  required?: boolean;
  list?: string;
  type?: string;
  step?: string | number;
  min?: number;
  max?: number;
  disabled?: boolean;
}) {
  const { onInput, ...rest } = props;
  return (
    <input
      type="text"
      autocomplete="off"
      spellcheck={false}
      {...rest}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}
