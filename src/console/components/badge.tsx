import type { ComponentChildren } from 'preact';
import type { Tone } from './notice.js';
import { upperFirst } from './time.js';

/** A colour and a capitalised word. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{typeof children === 'string' ? upperFirst(children) : children}</span>;
