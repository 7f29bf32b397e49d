import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { z } from 'zod';
import { trySubscriptionRoute } from '../../../admin/api/contracts/feed.js';
import { sumOfTrials, type Tried } from '../../../admin/api/sum-trials.js';
import { Card, CopyableJson } from '../../../site/components/card.js';
import { Field } from '../../../site/components/form.js';
import { countText, numberText, Time } from '../../../site/components/time.js';
import { Badge, Notice } from '../../../site/components/tone.js';
import { jsonField, numberField } from '../../../site/fields.js';
import type { PageRequest } from '../../../site/page-request.js';
import { flowEventHref } from '../deliveries/delivery-table.js';

/** Time in which pages are read for one view; a button continues. */
const readingMs = 4_000;

const count = z.int().nonnegative();
/** Value of the button that continues. `of`: the trial of which it has the counts; another one begins. */
const reached = z.object({ sent: count, dropped: count, failed: count, next: z.string(), of: z.string() });

/** Subscription of the form. */
export type Sent = { subscriptionType: string; filter: unknown; transform: string | null };

type Trial = Tried & { of: string };

const TrialContext = createContext<Trial | undefined>(undefined);

async function trialOf(at: PageRequest, orgId: string, { subscriptionType, filter, transform }: Sent): Promise<Trial> {
  const body = { orgId, subscriptionType, filter, transform, days: numberField(at.form, 'days') };
  const of = JSON.stringify(body);
  const { data: before } = reached.safeParse(jsonField(at.form, 'try'));
  const deadline = performance.now() + readingMs;
  const tried = await sumOfTrials(
    (after) => at.call(trySubscriptionRoute, { body: { ...body, after } }),
    () => performance.now() < deadline && !at.gone.aborted,
    before?.of === of ? before : undefined,
  );
  return { ...tried, of };
}

const periods = [1, 7, 30, 90, 365].map((days) => ({ value: `${days}`, text: countText(days, 'day') }));

/** The period, and the buttons that send the form to try the subscription on past flow events, instead of keeping it. */
export function TrialFields() {
  const trial = useContext(TrialContext);
  return (
    <>
      <Field label="Try on the flow events of the last" name="days" value="7" options={periods} />
      <div class="buttons">
        <button type="submit" name="try" value="{}" formnovalidate>
          Try
        </button>
        {trial && trial.next !== null && (
          <button type="submit" name="try" value={JSON.stringify(reached.parse(trial))} formnovalidate>
            Continue
          </button>
        )}
      </div>
    </>
  );
}

/** Puts the form beside the answer of its trial; undefined if it was not sent as one. */
export async function besideTrial(at: PageRequest, orgId: string, sent: Sent) {
  if (at.form.text('try') === undefined) return undefined;
  const trial = await trialOf(at, orgId, sent);
  return (form: VNode) => (
    <TrialContext.Provider value={trial}>
      <div class="columns">
        <Card title="Subscription">{form}</Card>
        <Card title="On past flow events">
          <Answer at={at} orgId={orgId} trial={trial} />
        </Card>
      </div>
    </TrialContext.Provider>
  );
}

const outcomes = { sent: 'good', dropped: 'neutral', failed: 'bad' } as const;

function Answer({ at, orgId, trial }: { at: PageRequest; orgId: string; trial: Trial }) {
  const { from, upTo, sent, dropped, failed, examples, gaps, next } = trial;
  return (
    <>
      <p>
        <strong>{countText(sent, 'event')}</strong> would be sent, <strong>{numberText(dropped)}</strong> dropped by the
        filter, and <strong>{numberText(failed)}</strong> would fail.
      </p>
      {next !== null && (
        <Notice tone="warn">
          Not all events are counted yet: only those up to {upTo === null ? 'the period' : <Time at={upTo} />}.
        </Notice>
      )}
      {gaps.length > 0 && (
        <Notice tone="warn">Some events of the period are missing: they were deleted or erased.</Notice>
      )}
      <p class="hint">
        Recorded since <Time at={from} />. Nothing was sent or recorded.
      </p>
      {examples.map(({ outcome, eventId, recordedAt, position, body, because }) => (
        <section key={position} class="stack">
          <p>
            <Badge tone={outcomes[outcome]}>{outcome}</Badge>{' '}
            <a href={flowEventHref(at, { eventId, orgId })}>{eventId}</a> <Time at={recordedAt} relative />
          </p>
          {because === null ? <CopyableJson value={body} /> : <p class="hint">{because}</p>}
        </section>
      ))}
    </>
  );
}
