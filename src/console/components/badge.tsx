import type { ComponentChildren } from 'preact';
import type { Tone } from './notice.js';
import { upperFirst } from './time.js';

/** A state: a colour and a word, which begins with a capital letter. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{typeof children === 'string' ? upperFirst(children) : children}</span>;
