import { usePage } from '../page-context.js';
import { Field } from './form.js';

const minuteMs = 60_000;

const ranges = [
  ['20 min', 20],
  ['1 h', 60],
  ['24 h', 1_440],
  ['7 d', 10_080],
] as const;

/** The fields from and to of a filter, and links to periods that end now. */
export function Period({ what = '' }: { what?: string }) {
  const at = usePage();
  return (
    <>
      <div id="period-links" class="field chips">
        <p class="label">{what || 'Last'}</p>
        {ranges.map(([text, minutes]) => (
          <a
            key={text}
            class="button small"
            href={at.here({
              from: new Date(at.now.getTime() - minutes * minuteMs).toISOString(),
              to: undefined,
              after: undefined,
              afterPages: undefined,
            })}
          >
            {text}
          </a>
        ))}
      </div>
      <Field label="From (UTC)" name="from" type="datetime-local" step="1" />
      <Field label="To (UTC)" name="to" type="datetime-local" step="1" />
    </>
  );
}
