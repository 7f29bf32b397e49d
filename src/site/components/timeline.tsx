import type { ComponentChildren } from 'preact';
import { Time } from './time.js';
import type { Tone } from './tone.js';

export type TimelineItem = {
  key: string;
  id?: string;
  /** Applies at the time of the page. */
  current?: boolean;
  at: string | Date;
  title: ComponentChildren;
  tone?: Tone;
  actor?: string;
  detail?: ComponentChildren;
};

/** Events in the given order, with time and cause. */
export const Timeline = ({ items }: { items: readonly TimelineItem[] }) => (
  <ol class="timeline">
    {items.map(({ key, id, current, at, title, tone = 'neutral', actor, detail }) => (
      <li key={key} id={id} class={tone} aria-current={current ? 'time' : undefined}>
        <p class="timeline-title">{title}</p>
        <p class="timeline-meta">
          <Time at={at} />
          {actor !== undefined && (
            <>
              {' by '}
              <code>{actor}</code>
            </>
          )}
        </p>
        {detail && <div class="timeline-detail">{detail}</div>}
      </li>
    ))}
  </ol>
);
