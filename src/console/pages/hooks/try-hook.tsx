import type { RouteAnswer } from '../../../http/route-contract.js';
import { DomainError, InvalidRequest } from '../../../kernel/domain-error.js';
import { tryListenerRoute } from '../../../operations/api/contracts/listeners.js';
import { Card, CopyableJson } from '../../components/card.js';
import { Field } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { TextWithTimes } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { PageView, Site } from '../../page-view.js';
import { parsedJson } from '../parsed-json.js';
import { type EventToTry, eventToTry } from './event-to-try.js';
import { ContentFacts } from './hook-content.js';
import { frameOf, hookOf } from './hook-frame.js';
import type { HookDetail } from './hook-state.js';

type Tried = RouteAnswer<typeof tryListenerRoute>;

/** What the form holds, as it was typed. */
type Draft = {
  readonly type: string;
  readonly data: string;
  readonly id: string;
  readonly flowId: string;
  readonly occurredAt: string;
};

/** `/hooks/{listenerId}/try`: what the hook would receive of an event. Nothing is sent or recorded. */
export function tryPage(site: Site): void {
  site.get('/hooks/:listenerId/try', async (at) => {
    const hook = await hookOf(at);
    const event = await eventToTry(at, hook);
    return tryView(at, hook, draftOf(event), <p class="muted">{event.source}</p>);
  });

  site.post('/hooks/:listenerId/try', async (at) => {
    const hook = await hookOf(at);
    const draft = typed(at);
    try {
      return tryView(at, hook, draft, <Result tried={await tried(at, hook, draft)} />);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'invalid_request') throw error;
      const refused = <Notice tone="bad">Not tried: {error.message}.</Notice>;
      return { ...tryView(at, hook, draft, refused), status: 400 };
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
function tried(at: PageRequest, { listenerId }: HookDetail, { type, data, ...optional }: Draft): Promise<Tried> {
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== ''));
  const content = parsedJson(data);
  if ('error' in content) throw new InvalidRequest(`the content is not valid JSON: ${content.error}`);
  const event = { type, data: content.value, ...given };
  return at.call(tryListenerRoute, { params: { listenerId }, body: { event } });
}

const tryView = (at: PageRequest, hook: HookDetail, draft: Draft, above: PageView['content']): PageView => ({
  ...frameOf(at, hook, true),
  title: 'What would it get of an event?',
  lead: hook.hookUrl,
  content: (
    <>
      {above}
      <div class="columns">
        <Card title="Event">
          <form class="stack json-editor" method="post" action={at.url(`/hooks/${hook.listenerId}/try`)}>
            <Field label="Type" name="type" value={draft.type} required maxLength={128} />
            <Field label="Content (JSON)" name="data" value={draft.data} lines={12} required />
            <Field label="ID" name="id" value={draft.id} maxLength={256} hint="Left empty, a new one." />
            <Field label="Flow" name="flowId" value={draft.flowId} maxLength={256} hint="Left empty, the ID." />
            <Field label="Occurred" name="occurredAt" value={draft.occurredAt} hint="ISO 8601; left empty, now." />
            <div class="buttons">
              <button type="submit" class="primary">
                Try
              </button>
              <a class="button" href={at.url(`/hooks/${hook.listenerId}`)}>
                Back to the hook
              </a>
            </div>
            <p class="hint">Nothing is sent or recorded.</p>
          </form>
        </Card>
        <Card title="What it gets">
          <ContentFacts {...hook} />
        </Card>
      </div>
    </>
  ),
});

const Result = ({ tried: { sent, body, because } }: { readonly tried: Tried }) =>
  sent ? (
    <>
      <Notice tone="good">The hook would receive this body.</Notice>
      <Card title="Body">
        <CopyableJson value={body} />
      </Card>
    </>
  ) : (
    <Notice tone="warn">
      Nothing would be sent: <TextWithTimes text={because ?? ''} />.
    </Notice>
  );
