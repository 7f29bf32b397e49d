import type { VNode } from 'preact';
import { listFlowEventsRoute } from '../../admin/api/contracts/flow-events.js';
import { listOrganisationsRoute } from '../../admin/api/contracts/organisations.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { Empty } from '../../site/components/card.js';
import { CheckBox, Field } from '../../site/components/form.js';
import { organisationOf, type PageRequest } from '../../site/page-request.js';

/** The organisation that a page or a form of the console is about. Throws `InvalidRequest`. */
export function requiredOrganisation({ query, form }: PageRequest): string {
  const orgId = form.text('orgId') ?? query.text('orgId');
  if (orgId === undefined) throw new InvalidRequest('orgId is required');
  return orgId;
}

export const organisationLink = (at: PageRequest) => {
  const orgId = requiredOrganisation(at);
  return { href: at.url('/organisations/show', { orgId }), text: orgId };
};

/** The field of a form or a filter that names the organisation; without it for callers of one. */
export const organisationField =
  (required?: boolean) =>
  (at: PageRequest): VNode | null =>
    at.caller.orgId === null ? (
      <Field
        label="Organisation"
        name="orgId"
        value={organisationOf(at)}
        required={required}
        autocomplete="off"
        maxLength={256}
        suggestHref={at.url('/organisations/names')}
      />
    ) : null;

/** True for an organisation with a listener, session, setting or key, now or in the past, or with flow events. */
export async function isKnownOrganisation(at: PageRequest, orgId: string): Promise<boolean> {
  const { items } = await at.call(listOrganisationsRoute, { query: { prefix: orgId, limit: '1' } });
  if (items.some((organisation) => organisation.orgId === orgId)) return true;
  return (await at.call(listFlowEventsRoute, { query: { orgId, limit: '1' } })).items.length > 0;
}

const isUnknown = 'is not known: check its ID, or confirm that it is a new one';

/** Throws `InvalidRequest` for an organisation that is not known, unless the form confirms it: a mistyped ID is another one. */
export async function requireKnownOrganisation(at: PageRequest, orgId: string): Promise<void> {
  if (at.caller.orgId !== null || orgId === '' || at.form.all('newOrganisation').includes(orgId)) return;
  if (!(await isKnownOrganisation(at, orgId)))
    throw new InvalidRequest(`orgId: the organisation “${orgId}” ${isUnknown}`);
}

/** Part of a form that was refused by `requireKnownOrganisation`. */
export function NewOrganisation({ at }: { at: PageRequest }) {
  const orgId = at.form.text('orgId');
  if (orgId === undefined || at.refusal?.message.endsWith(isUnknown) !== true) return null;
  return <CheckBox name="newOrganisation" value={orgId} label={`“${orgId}” is a new organisation`} />;
}

/** Instead of the rows of a page in which a filter has found none, before the last page. */
export const noneOnPage = (
  <Empty title="None on this page" text="The filter matches rarely: the search continues on the next page." />
);
