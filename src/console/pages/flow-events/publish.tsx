import { randomUUID } from 'node:crypto';
import { publishFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { Field } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';
import { namedOrganisation, OrganisationField, organisationOf } from '../organisation.js';
import { parsedJson } from '../parsed-json.js';

/** Fields of the form, as typed. */
type Draft = {
  readonly type: string;
  readonly id: string;
  readonly flowId: string;
  readonly data: string;
};

/** Errors of what was typed: the form is shown again with it. */
const errorsOfInput = ['invalid_request', 'payload_too_large', 'too_many_requests', 'event_type_mismatch'];

/** `/flow-events/publish`: the form holds the ID, so sending it again publishes nothing more. */
export function publishPage(site: Site): void {
  site.get('/flow-events/publish', async (at) => publishView(at, emptyDraft()));

  site.post('/flow-events/publish', async (at) => {
    const draft = draftOf(at);
    const orgId = organisationOf(at) ?? '';
    const { type, id, flowId } = draft;
    const data = parsedJson(draft.data);
    if ('error' in data) return publishView(at, draft, { error: `the content is not valid JSON: ${data.error}` });
    try {
      await at.call(publishFlowEventRoute, {
        body: { orgId, type, id, data: data.value, ...(flowId !== '' && { flowId }) },
      });
    } catch (error) {
      if (!(error instanceof DomainError) || !errorsOfInput.includes(error.code)) throw error;
      return publishView(at, draft, { error: error.message });
    }
    const notice = 'flow-event-published';
    const organisation = at.caller.orgId === null ? { orgId } : {};
    // One of a flow with other events is found by its ID once the fan-out has gone by it.
    return flowId === ''
      ? redirectTo(at, '/flow-events/show', { ...organisation, id, notice })
      : redirectTo(at, '/flow-events', { ...organisation, notice });
  });
}

const emptyDraft = (): Draft => ({
  type: 'flow.completed',
  id: randomUUID(),
  flowId: '',
  data: '{\n  "total": 42\n}',
});

const draftOf = ({ form }: PageRequest): Draft => ({
  type: form.text('type') ?? '',
  id: form.text('id') ?? randomUUID(),
  flowId: form.text('flowId') ?? '',
  data: form.text('data') ?? '',
});

const publishView = (at: PageRequest, draft: Draft, refused?: { readonly error: string }): PageView => ({
  title: 'Publish a flow event',
  section: '/flow-events',
  lead: 'Every listener of the organisation that has subscribed to its type receives it.',
  trail: [{ href: at.url('/flow-events', namedOrganisation(at)), text: 'Flow events' }],
  ...(refused && { status: 400 }),
  content: (
    <>
      {refused && <Notice tone="bad">Not published: {refused.error}.</Notice>}
      <form class="stack json-editor" method="post" action={at.url('/flow-events/publish')}>
        <OrganisationField at={at} required />
        <Field label="Type" name="type" value={draft.type} required maxLength={128} />
        <Field label="Content (JSON)" name="data" value={draft.data} lines={12} required />
        <Field
          label="ID"
          name="id"
          value={draft.id}
          maxLength={256}
          hint="A flow event is recorded once for each ID: publishing it again has no effect."
        />
        <Field
          label="Flow (optional)"
          name="flowId"
          value={draft.flowId}
          maxLength={256}
          hint="The flow that it belongs to; without it, it begins a new one."
        />
        <div class="buttons">
          <button type="submit" class="primary">
            Publish
          </button>
          <a class="button" href={at.url('/flow-events', namedOrganisation(at))}>
            Cancel
          </a>
        </div>
      </form>
    </>
  ),
});
