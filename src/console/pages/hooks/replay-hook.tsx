import { randomUUID } from 'node:crypto';
import { startReplayRoute } from '../../../operations/api/contracts/replays.js';
import { Card } from '../../components/card.js';
import { Field } from '../../components/form.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import { numberField } from './form-values.js';
import { instantOf } from './hook-as-of.js';
import { frameOf, hookOf } from './hook-frame.js';
import type { HookDetail } from './hook-state.js';

/** The form that starts a replay to a hook. It carries the ID of the replay, so that sending it twice starts one. */
export function replayForm(site: Site): void {
  site.get('/hooks/:listenerId/replay', async (at) => {
    const hook = await hookOf(at);
    return {
      ...frameOf(at, hook, true),
      title: 'Replay past flow events',
      lead: hook.hookUrl,
      content: <ReplayForm at={at} hook={hook} />,
    };
  });

  site.post('/hooks/:listenerId/replay', async (at) => {
    const { orgId, listenerId } = await hookOf(at);
    const { id, type, eventId } = at.form.pick('id', 'type', 'eventId');
    const period =
      eventId === undefined ? { from: instantField(at, 'from'), to: instantField(at, 'to'), type } : { eventId };
    const body = { id, orgId, listenerId, ...period, ratePerSecond: numberField(at.form, 'ratePerSecond') };
    const replay = await at.call(startReplayRoute, { body });
    return redirectTo(at, `/replays/${replay.id}`, { notice: 'replay-started' });
  });
}

const instantField = (at: PageRequest, name: string): string | undefined => {
  const text = at.form.text(name);
  return text === undefined ? undefined : instantOf(text).toISOString();
};

const ReplayForm = ({ at, hook }: { readonly at: PageRequest; readonly hook: HookDetail }) => (
  <Card title="Flow events to send again">
    <form class="stack" method="post" action={at.url(`/hooks/${hook.listenerId}/replay`)}>
      <input type="hidden" name="id" value={randomUUID()} />
      <Field label="Recorded from (UTC)" name="from" type="datetime-local" hint="Left empty: from the first one." />
      <Field label="Recorded to (UTC)" name="to" type="datetime-local" hint="Left empty: up to now." />
      <Field
        label="Type"
        name="type"
        placeholder={hook.subscriptionType}
        maxLength={128}
        hint="Such as flow.completed, or flow.*; left empty: the subscription type of the hook."
      />
      <Field
        label="Only the flow event with this ID"
        name="eventId"
        maxLength={256}
        hint="Instead of a period and a type."
      />
      <Field
        label="Deliveries a second"
        name="ratePerSecond"
        type="number"
        min="0.1"
        max="10000"
        step="any"
        value="50"
      />
      <div class="buttons">
        <button type="submit" class="primary">
          Start the replay
        </button>
        <a class="button" href={at.url(`/hooks/${hook.listenerId}`)}>
          Cancel
        </a>
      </div>
    </form>
  </Card>
);
