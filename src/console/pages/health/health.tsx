import type { PartStatus } from '../../../http/health.js';
import { version } from '../../../kernel/version.js';
import { Badge } from '../../components/badge.js';
import { Card } from '../../components/card.js';
import { Facts } from '../../components/facts.js';
import { Notice } from '../../components/notice.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import type { Subject } from '../../page-view.js';

export type HealthDependencies = {
  /** The readiness of the parts of this instance. */
  readonly readiness: () => readonly PartStatus[];
};

/** `/health`: whether this instance and its parts can be used, and if not, why. */
export const healthPages =
  ({ readiness }: HealthDependencies): Subject =>
  (site) => {
    const live = site.live('/health', {
      everyMs: 5_000,
      async parts() {
        const parts = readiness();
        return { summary: <Summary parts={parts} />, parts: <Readiness parts={parts} /> };
      },
    });

    site.get('/health', async (at) => {
      const { part, href } = await live(at);
      return {
        title: 'Health',
        section: '/health',
        lead: 'Whether this instance and its parts can be used.',
        live: { part, href },
        content: (
          <>
            {part('summary')}
            {part('parts')}
            <Card title="This instance">
              <Facts
                facts={[
                  ['Version', version],
                  ['Node.js', process.versions.node],
                ]}
              />
            </Card>
          </>
        ),
      };
    });
  };

const Summary = ({ parts }: { readonly parts: readonly PartStatus[] }) => {
  const inTrouble = parts.filter(({ ready }) => !ready);
  if (inTrouble.length === 0) return <Notice tone="good">Every part is ready.</Notice>;
  const isUsable = inTrouble.every(({ required }) => required === false);
  return (
    <Notice tone={isUsable ? 'warn' : 'bad'}>
      {inTrouble.length} of {parts.length} parts {inTrouble.length === 1 ? 'is' : 'are'} not ready
      {isUsable ? '; the rest of the service can be used without.' : '.'}
    </Notice>
  );
};

const Readiness = ({ parts }: { readonly parts: readonly PartStatus[] }) => (
  <Table
    caption="Parts of this instance"
    rows={parts}
    keyOf={({ part }) => part}
    empty={null}
    columns={[
      { head: 'Part', cell: ({ part }) => part },
      {
        head: 'State',
        cell: ({ ready }) => <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'Ready' : 'Not ready'}</Badge>,
      },
      { head: 'Since', cell: ({ since }) => (since === undefined ? '–' : <Time at={since} />) },
      { head: 'Reason', cell: ({ reason }) => reason ?? '–', wide: true },
    ]}
  />
);
