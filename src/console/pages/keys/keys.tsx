import { listKeysRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Copyable, Id } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { durationText, Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { Subject } from '../../page-view.js';

type Key = RouteAnswer<typeof listKeysRoute>['items'][number];

const section = '/keys';

/**
 * `/keys`: keys of the instance and their ages. The command line rotates and retires them, because they are in files.
 */
export const keyPages: Subject = (site) => {
  site.get(section, async (at) => {
    const { items } = await at.call(listKeysRoute, {});
    return {
      title: 'Keys',
      section,
      lead: 'Of this instance and of the record. No page shows key material.',
      content: (
        <>
          <Table
            caption="Keys of the service"
            rows={items}
            keyOf={({ kind, id }) => `${kind} ${id}`}
            empty={null}
            columns={[
              { head: 'Kind', cell: ({ kind }) => (kind === 'signing' ? 'Signing key' : 'Master key') },
              { head: 'ID', wide: true, cell: ({ id }) => <Id value={id} /> },
              { head: 'kid', cell: ({ kid }) => kid && <code>{kid}</code> },
              { head: 'State', cell: (key) => <State state={key.state} /> },
              { head: 'Since', cell: ({ from }) => (from === null ? 'unknown' : <Time at={from} />) },
              { head: 'Age', numeric: true, cell: (key) => ageText(key, at.now) },
              { head: 'Meaning', cell: ({ state }) => meanings[state] },
            ]}
          />
          <Card title="Public keys of access tokens">
            <p>Verifiers of tokens read the public keys here, each with its kid:</p>
            <p>
              <a href={at.url('/../.well-known/jwks.json')}>/.well-known/jwks.json</a>
            </p>
          </Card>
          <Card title="Rotate and retire">
            <p>
              The keys are in files or settings of every instance, which the service does not write. Rotate and retire
              them where the files are; the history of the service records it.
            </p>
            <Copyable text={at.commands.cli('keys rotate signing')} />
            <Copyable text={at.commands.cli('keys retire signing <thumbprint>')} />
          </Card>
        </>
      ),
    };
  });
};

const tones: Readonly<Record<Key['state'], Tone>> = {
  current: 'good',
  pending: 'info',
  kept: 'neutral',
  retired: 'warn',
  missing: 'bad',
};

const meanings: Readonly<Record<Key['state'], string>> = {
  current: 'Signs tokens, or new secrets are derived from it',
  pending: 'Will be current at that time',
  kept: 'Verifies earlier tokens, or earlier secrets were derived from it',
  retired: 'No longer needed: remove it from this instance',
  missing: 'On record, but not on this instance',
};

const State = ({ state }: { state: Key['state'] }) => <Badge tone={tones[state]}>{state}</Badge>;

const ageText = ({ from }: Key, now: Date): string => {
  const ageMs = from === null ? Number.NaN : now.getTime() - Date.parse(from);
  return ageMs >= 0 ? durationText(ageMs) : '–';
};
