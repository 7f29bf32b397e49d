import { Field } from '../components/form.js';
import type { PageRequest } from '../page-request.js';

/** The organisation that a page is about: that of the caller, or the one in the query; undefined if none is chosen. */
export const organisationOf = ({ caller, query, form }: PageRequest): string | undefined =>
  caller.orgId ?? query.text('orgId') ?? form.text('orgId');

/** The organisation as it is named in the URLs of pages: a caller with only one needs not name it. */
export const namedOrganisation = (at: PageRequest): { readonly orgId: string | undefined } => ({
  orgId: at.caller.orgId === null ? organisationOf(at) : undefined,
});

/** The field that chooses the organisation; nothing for a caller with only one. */
export const OrganisationField = ({
  at,
  required = false,
}: {
  readonly at: PageRequest;
  readonly required?: boolean;
}) =>
  at.caller.orgId === null ? (
    <Field
      label="Organisation"
      name="orgId"
      value={organisationOf(at)}
      required={required}
      autocomplete="off"
      maxLength={256}
    />
  ) : null;
