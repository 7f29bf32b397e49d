import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral';

/** About the page or the last action. Screen readers announce bad news at once. */
export const Notice = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);
