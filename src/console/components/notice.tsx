import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral';

/** A message about the page or the last action. Bad news are read out at once by screen readers. */
export const Notice = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);
