import { randomUUID } from 'node:crypto';
import { publishFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import { Field, Form, Submit } from '../../components/form.js';
import { sentence } from '../../components/time.js';
import { Notice } from '../../components/tone.js';
import { jsonField } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';
import {
  NewOrganisation,
  namedOrganisation,
  OrganisationField,
  organisationOf,
  requireKnownOrganisation,
} from '../organisation.js';

/** `/flow-events/publish`: the form holds the ID, so sending it again publishes nothing more. */
export function publishPage(site: Site): void {
  site.form('/flow-events/publish', publishFlowEventRoute, async (at) => ({
    title: 'Publish a flow event',
    section: '/flow-events',
    lead: 'Every listener of the organisation that has subscribed to its type receives it.',
    trail: [{ href: at.url('/flow-events', namedOrganisation(at)), text: 'Flow events' }],
    content: (
      <Form class="stack json-editor">
        <OrganisationField at={at} required />
        <NewOrganisation at={at} />
        <Field label="Type" name="type" value="flow.completed" required maxLength={128} />
        <Field label="Content (JSON)" name="data" value={'{\n  "total": 42\n}'} lines={12} required />
        <Field
          label="ID"
          name="id"
          value={randomUUID()}
          maxLength={256}
          hint="A flow event is recorded once for each ID: publishing it again has no effect."
        />
        <Field
          label="Flow (optional)"
          name="flowId"
          maxLength={256}
          hint="The flow that it belongs to; without it, it begins a new one."
        />
        <Submit label="Publish" cancel={at.url('/flow-events', namedOrganisation(at))} />
      </Form>
    ),
  }));

  site.post('/flow-events/publish', async (at) => {
    const orgId = organisationOf(at) ?? '';
    const { id = randomUUID(), flowId } = at.form.pick('id', 'flowId');
    const data = jsonField(at.form, 'data');
    await requireKnownOrganisation(at, orgId);
    const body = { orgId, type: at.form.text('type') ?? '', id, data, flowId };
    const { warnings } = await at.call(publishFlowEventRoute, { body });
    const organisation = at.caller.orgId === null ? { orgId } : {};
    // One of a flow with other events is found by its ID once the fan-out has gone by it.
    const [path, query] =
      flowId === undefined ? ['/flow-events/show', { ...organisation, id }] : ['/flow-events', organisation];
    if (warnings.length > 0) return publishedWithWarnings(at, warnings, at.url(path, query));
    return redirectTo(at, path, { ...query, notice: 'flow-event-published' });
  });
}

const publishedWithWarnings = (at: PageRequest, warnings: readonly string[], href: string): PageView => ({
  title: 'The flow event is published, with warnings',
  section: '/flow-events',
  trail: [{ href: at.url('/flow-events', namedOrganisation(at)), text: 'Flow events' }],
  content: (
    <>
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {sentence(warning)}
        </Notice>
      ))}
      <p>Listeners receive it as it is. Publish a correct one with another ID.</p>
      <p class="buttons">
        <a class="button primary" href={href}>
          To the flow event
        </a>
      </p>
    </>
  ),
});
