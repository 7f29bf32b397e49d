import { tryListenerRoute } from '../../../admin/api/contracts/listeners.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { DomainError, InvalidRequest } from '../../../kernel/domain-error.js';
import { Card, CopyableJson } from '../../components/card.js';
import { Field } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { TextWithTimes } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { PageView, Site } from '../../page-view.js';
import { parsedJson } from '../parsed-json.js';
import { type EventToTry, eventToTry } from './event-to-try.js';
import { ContentFacts } from './listener-content.js';
import { frameOf, listenerOf } from './listener-frame.js';
import type { ListenerDetail } from './listener-state.js';

type Tried = RouteAnswer<typeof tryListenerRoute>;

/** Fields of the form, as typed. */
type Draft = {
  readonly type: string;
  readonly data: string;
  readonly id: string;
  readonly flowId: string;
  readonly occurredAt: string;
};

/** `/listeners/{listenerId}/try`: the body of an event for the listener. Sends and records nothing. */
export function tryPage(site: Site): void {
  site.get('/listeners/:listenerId/try', async (at) => {
    const listener = await listenerOf(at);
    const event = await eventToTry(at, listener);
    return tryView(at, listener, draftOf(event), <p class="muted">{event.source}</p>);
  });

  site.post('/listeners/:listenerId/try', async (at) => {
    const listener = await listenerOf(at);
    const draft = typed(at);
    try {
      return tryView(at, listener, draft, <Result tried={await tried(at, listener, draft)} />);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'invalid_request') throw error;
      const refused = <Notice tone="bad">Not tried: {error.message}.</Notice>;
      return { ...tryView(at, listener, draft, refused), status: 400 };
    }
  });
}

const draftOf = ({ type, data, id = '', flowId = '', timestamp = '' }: EventToTry): Draft => ({
  type,
  data: JSON.stringify(data, null, 2),
  id,
  flowId,
  occurredAt: timestamp,
});

const typed = ({ form }: PageRequest): Draft => ({
  type: form.text('type') ?? '',
  data: form.text('data') ?? '',
  id: form.text('id') ?? '',
  flowId: form.text('flowId') ?? '',
  occurredAt: form.text('occurredAt') ?? '',
});

/** Throws `InvalidRequest`. */
function tried(at: PageRequest, { listenerId }: ListenerDetail, { type, data, ...optional }: Draft): Promise<Tried> {
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== ''));
  const content = parsedJson(data);
  if ('error' in content) throw new InvalidRequest(`the content is not valid JSON: ${content.error}`);
  const event = { type, data: content.value, ...given };
  return at.call(tryListenerRoute, { params: { listenerId }, body: { event } });
}

const tryView = (at: PageRequest, listener: ListenerDetail, draft: Draft, above: PageView['content']): PageView => ({
  ...frameOf(at, listener, true),
  title: 'What would it get of an event?',
  lead: listener.hookUrl,
  content: (
    <>
      {above}
      <div class="columns">
        <Card title="Event">
          <form class="stack json-editor" method="post" action={at.url(`/listeners/${listener.listenerId}/try`)}>
            <Field label="Type" name="type" value={draft.type} required maxLength={128} />
            <Field label="Content (JSON)" name="data" value={draft.data} lines={12} required />
            <Field label="ID" name="id" value={draft.id} maxLength={256} hint="Left empty, a new one." />
            <Field label="Flow" name="flowId" value={draft.flowId} maxLength={256} hint="Left empty, the ID." />
            <Field label="Occurred" name="occurredAt" value={draft.occurredAt} hint="ISO 8601; left empty, now." />
            <div class="buttons">
              <button type="submit" class="primary">
                Try
              </button>
              <a class="button" href={at.url(`/listeners/${listener.listenerId}`)}>
                Back to the listener
              </a>
            </div>
            <p class="hint">Nothing is sent or recorded.</p>
          </form>
        </Card>
        <Card title="What it gets">
          <ContentFacts details={listener} />
        </Card>
      </div>
    </>
  ),
});

const Result = ({ tried: { sent, body, because } }: { readonly tried: Tried }) =>
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
