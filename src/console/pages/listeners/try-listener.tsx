import { tryListenerRoute } from '../../../admin/api/contracts/listeners.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, CopyableJson } from '../../../site/components/card.js';
import { Field, Form, Submit } from '../../../site/components/form.js';
import { TextWithTimes } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import { jsonField } from '../../../site/fields.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { PageView, Site } from '../../../site/page-view.js';
import { eventToTry } from './event-to-try.js';
import { frameOf, type ListenerDetail, listenerOf } from './listener.js';
import { ContentFacts } from './listener-facts.js';

type Tried = RouteAnswer<typeof tryListenerRoute>;

/** Fields of the form. */
type Draft = Partial<Record<'type' | 'data' | 'id' | 'flowId' | 'occurredAt', string | undefined>>;

/** `/listeners/{listenerId}/try`: the body of an event for the listener. Sends and records nothing. */
export function tryPage(site: Site): void {
  site.get('/listeners/:listenerId/try', async (at) => {
    const listener = await listenerOf(at);
    const { data, timestamp, source, ...event } = await eventToTry(at, listener);
    const draft = { ...event, data: JSON.stringify(data, null, 2), occurredAt: timestamp };
    return tryView(at, listener, draft, <p class="muted">{source}</p>);
  });

  site.post('/listeners/:listenerId/try', async (at) => {
    const listener = await listenerOf(at);
    const draft: Draft = at.form.pick('type', 'data', 'id', 'flowId', 'occurredAt');
    const event = { ...draft, type: draft.type ?? '', data: jsonField(at.form, 'data') };
    const { listenerId } = listener;
    const tried = await at.call(tryListenerRoute, { params: { listenerId }, body: { event } });
    return tryView(at, listener, draft, <Result tried={tried} />);
  });
}

const tryView = (at: PageRequest, listener: ListenerDetail, draft: Draft, above: PageView['content']): PageView => ({
  ...frameOf(at, listener),
  title: 'Try an event',
  content: (
    <>
      {above}
      <div class="columns">
        <Card title="Event">
          <Form class="stack json-editor">
            <Field label="Type" name="type" value={draft.type} required maxLength={128} />
            <Field label="Content (JSON)" name="data" value={draft.data} lines={12} required />
            <Field label="ID" name="id" value={draft.id} maxLength={256} hint="Left empty, a new one." />
            <Field label="Flow" name="flowId" value={draft.flowId} maxLength={256} hint="Left empty, the ID." />
            <Field label="Occurred" name="occurredAt" value={draft.occurredAt} hint="ISO 8601; left empty, now." />
            <Submit label="Try" cancel={at.url(`/listeners/${listener.listenerId}`)} />
            <p class="hint">Nothing is sent or recorded.</p>
          </Form>
        </Card>
        <Card title="What it gets">
          <ContentFacts details={listener} />
        </Card>
      </div>
    </>
  ),
});

const Result = ({ tried: { sent, body, because } }: { tried: Tried }) =>
  sent ? (
    <>
      <Notice tone="good">The listener would receive this body.</Notice>
      <Card title="Body">
        <CopyableJson value={body} />
      </Card>
    </>
  ) : (
    <Notice tone="warn">
      Nothing would be sent: <TextWithTimes text={because ?? ''} />.
    </Notice>
  );
