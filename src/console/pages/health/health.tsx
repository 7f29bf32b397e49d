import { listKeysRoute, showServiceRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card } from '../../../site/components/card.js';
import { FactsOf } from '../../../site/components/shown.js';
import { Table } from '../../../site/components/table.js';
import { bytesText } from '../../../site/components/time.js';
import { Badge, Notice } from '../../../site/components/tone.js';
import { livePage } from '../../../site/derived/live-page.js';
import type { Subject } from '../../../site/page-view.js';
import { keyTable } from '../keys/keys.js';

type Service = RouteAnswer<typeof showServiceRoute>;

/** `/health`: whether this instance and its parts can be used, and if not, why. */
export const healthPages: Subject = (site) =>
  livePage(site, '/health', {
    everyMs: 5_000,
    async parts(at) {
      const service = await at.call(showServiceRoute, {});
      return {
        summary: (
          <>
            <Summary parts={service.parts} />
            <Unsafe settings={service.unsafe} />
          </>
        ),
        parts: <Readiness parts={service.parts} />,
        instance: <Instance service={service} />,
      };
    },
    async shows(at) {
      const { items: keys } = await at.call(listKeysRoute, {});
      return {
        title: 'Health',
        lead: 'The instance that answers this page: whether it and its parts can be used.',
        below: (
          <Card title="Keys of the service">
            <Table caption="Signing keys and master keys, without key material" rows={keys} {...keyTable} />
          </Card>
        ),
      };
    },
  });

const Summary = ({ parts }: Pick<Service, 'parts'>) => {
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

const Unsafe = ({ settings }: { settings: Service['unsafe'] }) =>
  settings.length > 0 && (
    <Notice tone="warn">
      UNSAFE permits settings that void a protection.{' '}
      {settings.map(({ setting, voids }) => (
        <span key={setting}>
          <code>{setting}</code>: {voids}.{' '}
        </span>
      ))}
    </Notice>
  );

const Readiness = ({ parts }: Pick<Service, 'parts'>) => {
  const isReady = parts.every(({ ready }) => ready);
  return (
    <Table
      caption="Parts of this instance"
      rows={parts}
      keyOf={({ part }) => part}
      columns={{
        Part: 'part',
        State: ({ ready }) => <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'Ready' : 'Not ready'}</Badge>,
        Since: isReady ? undefined : 'since',
        Reason: isReady ? undefined : { show: 'reason', wide: true },
      }}
    />
  );
};

const stores = { embedded: 'Embedded (SQLite)', servers: 'EventStoreDB and MongoDB' } as const;

const Instance = ({ service }: { service: Service }) => (
  <div class="columns">
    <Card title="This instance">
      <FactsOf
        of={service}
        facts={{
          Version: 'version',
          Host: ({ host }) => <code>{host}</code>,
          Started: 'startedAt',
          'Node.js': 'nodeVersion',
          Mode: 'mode',
          Roles: 'roles',
          Stores: () => stores[service.stores],
          Memory: ({ memoryBytes }) => bytesText(memoryBytes),
        }}
      />
    </Card>
    <Card title="Deliveries">
      {service.dispatcher ? (
        <FactsOf
          of={service.dispatcher}
          facts={{
            'Attempts under way': 'attemptsUnderWay',
            'Fanned out up to': 'fanOutPosition',
            'Partitions fanned out': 'fanOutPartitions',
          }}
        />
      ) : (
        <p class="muted">This instance delivers nothing.</p>
      )}
      {service.leases.length > 0 && <Leases leases={service.leases} />}
    </Card>
  </div>
);

const Leases = ({ leases }: Pick<Service, 'leases'>) => (
  <Table
    caption="Leaderships"
    rows={leases}
    keyOf={({ name }) => name}
    empty={null}
    columns={{
      Leadership: 'name',
      Leader: ({ isHeld, holder }) => (isHeld ? <Badge tone="info">This instance</Badge> : holder),
    }}
  />
);
