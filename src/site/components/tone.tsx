import type { ComponentChildren } from 'preact';
import { upperFirst } from './time.js';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral';

/** About the page or the last action. Screen readers announce bad news at once. */
export const Notice = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);

/** A colour and a capitalised word. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{typeof children === 'string' ? upperFirst(children) : children}</span>
);
