import type { ComponentChildren } from 'preact';
import type { Tone } from './notice.js';

/** A state: a colour and a word. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{children}</span>;
