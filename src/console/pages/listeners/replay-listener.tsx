import { randomUUID } from 'node:crypto';
import { startReplayRoute } from '../../../admin/api/contracts/replays.js';
import { Card } from '../../components/card.js';
import { Field, Form, Submit } from '../../components/form.js';
import { numberField } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import { frameOf, type ListenerDetail, listenerOf, registeredListenerOf } from './listener.js';
import { instantOf } from './listener-as-of.js';

/** The form carries the ID of the replay, so that sending it twice starts one. */
export function replayForm(site: Site): void {
  site.form('/listeners/:listenerId/replay', startReplayRoute, async (at) => {
    const listener = await registeredListenerOf(at);
    return {
      ...frameOf(at, listener),
      title: 'Replay past flow events',
      content: <ReplayForm at={at} listener={listener} />,
    };
  });

  site.post('/listeners/:listenerId/replay', async (at) => {
    const { orgId, listenerId } = await listenerOf(at);
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

const ReplayForm = ({ at, listener }: { at: PageRequest; listener: ListenerDetail }) => (
  <Card title="Flow events to send again">
    <Form hidden={{ id: at.form.text('id') ?? randomUUID() }}>
      <Field label="Recorded from (UTC)" name="from" type="datetime-local" hint="Left empty: from the first one." />
      <Field label="Recorded to (UTC)" name="to" type="datetime-local" hint="Left empty: up to now." />
      <Field
        label="Type"
        name="type"
        placeholder={listener.subscriptionType}
        maxLength={128}
        hint="Such as flow.completed, or flow.*; left empty: the subscription type of the listener."
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
      <Submit label="Start the replay" cancel={at.url(`/listeners/${listener.listenerId}`)} />
    </Form>
  </Card>
);
