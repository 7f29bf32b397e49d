import type { showListenerAsOfRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Card, Facts, Id } from '../../../site/components/card.js';
import { Field } from '../../../site/components/form.js';
import { Time } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { ListenerDetail } from './listener.js';
import { ContentFacts, subscriptionFactsOf } from './listener-facts.js';
import { asOfHref, asOfId, changeNames } from './listener-timeline.js';

export type ListenerAsOf = RouteAnswer<typeof showListenerAsOfRoute>;

/** Time of a `datetime-local` field, in UTC without an offset. Throws `InvalidRequest`. */
export function instantOf(text: string): Date {
  const instant = new Date(/[zZ]$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(instant.getTime())) {
    throw new InvalidRequest('at must be a time such as 2026-01-31T12:00:00Z');
  }
  return instant;
}

/** Slider over the history with scripts, else a field and links between changes. */
export function AsOfCard({
  at,
  listener,
  asOf,
  changes,
}: {
  at: PageRequest;
  listener: ListenerDetail;
  asOf: ListenerAsOf;
  /** Times of the latest changes, where the slider stops. */
  changes: readonly string[];
}) {
  const path = `/listeners/${listener.listenerId}`;
  return (
    <Card id={asOfId} title="At an instant">
      <form class="as-of" method="get" action={`${at.url(path)}#${asOfId}`}>
        <div class="slider" data-slider={at.url(`${path}/at`)} data-page={at.url(path)} hidden>
          <input
            type="range"
            min={Date.parse(listener.firstRegisteredAt)}
            max={Math.max(at.now.getTime(), Date.parse(asOf.at))}
            value={Date.parse(asOf.at)}
            step="1"
            list="listener-changes"
            aria-label="Instant"
            aria-describedby="slider-keys"
          />
          <datalist id="listener-changes">
            {[...new Set(changes)].map((change) => (
              <option key={change} value={Date.parse(change)} />
            ))}
          </datalist>
          <p class="slider-ends muted" aria-hidden="true">
            <Time at={listener.firstRegisteredAt} />
            <span>now</span>
          </p>
          <p id="slider-keys" class="hint">
            The arrow keys move between changes.
          </p>
        </div>
        <div class="as-of-time">
          <Field label="Instant (UTC)" name="at" type="datetime-local" value={fieldValue(asOf.at)} step="0.001" />
          <button type="submit">Show</button>
        </div>
      </form>
      <AsOfState at={at} listenerId={listener.listenerId} asOf={asOf} />
    </Card>
  );
}

/** Time as `datetime-local` has it. */
const fieldValue = (iso: string): string => iso.replace(/Z$/, '');

const states: Readonly<Record<ListenerAsOf['state'], readonly [tone: Tone, text: string, sentence: string]>> = {
  none: ['neutral', 'Not registered', 'The URL had not been registered yet.'],
  active: ['good', 'Active', 'The URL was registered, and deliveries went to it.'],
  paused: ['warn', 'Paused', 'The URL was registered, and deliveries to it were held.'],
  ended: ['neutral', 'Not registered', 'The listener had ended.'],
};

/** Replaced by the slider. */
export function AsOfState({ at, listenerId, asOf }: { at: PageRequest; listenerId: string; asOf: ListenerAsOf }) {
  const { state, details, change, previousAt, nextAt } = asOf;
  const [tone, text, sentence] = states[state];
  const hrefOf = (time: string | null) => (time === null ? undefined : asOfHref(at, listenerId, time));
  return (
    <div
      id="as-of-state"
      data-at={asOf.at}
      data-previous={previousAt ?? undefined}
      data-next={nextAt ?? undefined}
      data-revision={change?.revision}
      data-state={text}
    >
      <p class="buttons">
        <Step href={hrefOf(previousAt)} rel="prev" text="Change before" />
        <Step href={hrefOf(nextAt)} rel="next" text="Change after" />
        {change && (
          <span class="muted">
            Last change: {changeNames[change.type] ?? change.type}, <Time at={change.at} />
          </span>
        )}
      </p>
      <p class="as-of-sentence">
        <Badge tone={tone}>{text}</Badge> at <Time at={asOf.at} />. {sentence}
      </p>
      {details && details.listenerId !== listenerId && (
        <p>
          That was another listener at the hook URL:{' '}
          <Id value={details.listenerId} href={at.url(`/listeners/${details.listenerId}`)} />
        </p>
      )}
      {details && (
        <Facts
          facts={{
            ...subscriptionFactsOf(details),
            'Signing secret': `Version ${details.secretVersion}`,
            'Registered by': <code>{details.userId}</code>,
          }}
        />
      )}
      {details && <ContentFacts details={details} />}
    </div>
  );
}

/** Link to the change before or after. It keeps its place where there is none, so that the other does not move under the pointer. */
const Step = ({ href, rel, text }: { href: string | undefined; rel: 'prev' | 'next'; text: string }) =>
  href === undefined ? (
    <button type="button" disabled>
      {text}
    </button>
  ) : (
    <a class="button" href={href} rel={rel}>
      {text}
    </a>
  );
