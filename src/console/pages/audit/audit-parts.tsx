import { Tabs } from '../../../site/components/card.js';
import type { PageRequest } from '../../../site/page-request.js';

export const section = '/audit';

/** The views of the audit. Those of the whole service are not for a caller of one organisation. */
const tabs = [
  { text: 'History', path: '', ofService: false },
  { text: 'Difference', path: '/difference', ofService: false },
  { text: 'At a time', path: '/as-of', ofService: false },
  { text: 'Service', path: '/service', ofService: true },
  { text: 'Seals', path: '/seals', ofService: true },
] as const;

export const AuditTabs = ({ at, current }: { at: PageRequest; current: (typeof tabs)[number]['path'] }) => (
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
