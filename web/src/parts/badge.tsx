// A state as an icon and a word.

import { look, type Tone } from '../format/states.ts';
import { Icon } from './icon.tsx';

export function StateBadge({ state }: { state: string }) {
  const { tone, icon } = look(state);
  return <Badge tone={tone} icon={icon} text={state.replace(/_/g, ' ')} />;
}

export function Badge({ tone, icon, text }: { tone: Tone; icon: string; text: string }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}
