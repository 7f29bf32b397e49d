import { Tabs } from '../../components/card.js';
import { Field } from '../../components/form.js';
import type { PageRequest } from '../../page-request.js';

export const section = '/audit';

/** The views of the audit. Those of the whole service are not for a caller of one organisation. */
const tabs = [
  { text: 'History', path: '', ofService: false },
  { text: 'Difference', path: '/difference', ofService: false },
  { text: 'At a time', path: '/as-of', ofService: false },
  { text: 'Service', path: '/service', ofService: true },
  { text: 'Seals', path: '/seals', ofService: true },
] as const;

export const AuditTabs = ({
  at,
  current,
}: {
  readonly at: PageRequest;
  readonly current: (typeof tabs)[number]['path'];
}) => (
  <Tabs
    label="Audit"
    tabs={tabs
      .filter(({ ofService }) => !ofService || at.caller.orgId === null)
      .map(({ text, path, ofService }) => ({
        text,
        href: at.url(`${section}${path}`, ofService ? {} : { orgId: at.query.text('orgId') }),
        current: path === current,
      }))}
  />
);

/** The organisation that is asked about: the caller's, or the one of the filter. */
export const organisationOf = ({ caller, query }: PageRequest): string | undefined =>
  caller.orgId ?? query.text('orgId');

export const OrganisationField = ({ at }: { readonly at: PageRequest }) =>
  at.caller.orgId === null ? (
    <Field name="orgId" label="Organisation" value={at.query.text('orgId')} required maxLength={256} />
  ) : null;

/** A time that a browser's field sends, without a zone: in UTC. Another text is left to the API's validation. */
export function instantOf(text: string | undefined): string | undefined {
  const [, minute, second = ':00'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text ?? '') ?? [];
  return minute === undefined ? text : `${minute}${second}Z`;
}
