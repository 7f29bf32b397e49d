import { Field } from '../components/form.js';
import type { PageRequest } from '../page-request.js';

/** The caller's organisation, or that of the query; undefined: none chosen. */
export const organisationOf = ({ caller, query, form }: PageRequest): string | undefined =>
  caller.orgId ?? query.text('orgId') ?? form.text('orgId');

/** For URLs of pages: not named for callers of one organisation. */
export const namedOrganisation = (at: PageRequest): { orgId: string | undefined } => ({
  orgId: at.caller.orgId === null ? organisationOf(at) : undefined,
});

/** Empty for callers of one organisation. */
export const OrganisationField = ({ at, required = false }: { at: PageRequest; required?: boolean }) =>
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
