import { listKeysRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Copyable, Id } from '../../../site/components/card.js';
import type { Columns } from '../../../site/components/table.js';
import { durationText } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { Subject } from '../../../site/page-view.js';

type Key = RouteAnswer<typeof listKeysRoute>['items'][number];

/** `/keys`: keys of the instance and their ages. The command line rotates and retires them, because they are in files. */
export const keyPages: Subject = (site) =>
  routeList(site, '/keys', listKeysRoute, {
    title: 'Keys',
    lead: 'Of this instance and of the record. No page shows key material.',
    caption: 'Keys of the service',
    keyOf: keyTable.keyOf,
    columns: (at) => ({
      ...keyTable.columns,
      Age: { show: (key) => ageText(key, at.now), numeric: true },
      Meaning: ({ state }) => keyStates[state][1],
    }),
    below: (at) => (
      <>
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
  });

/** Props of a table of keys. */
export const keyTable = {
  keyOf: ({ kind, id }: Key) => `${kind} ${id}`,
  columns: {
    Kind: ({ kind }) => (kind === 'signing' ? 'Signing key' : 'Master key'),
    ID: { show: ({ id }) => <Id value={id} />, wide: true },
    kid: ({ kid }) => kid && <code>{kid}</code>,
    State: ({ state }) => <Badge tone={keyStates[state][0]}>{state}</Badge>,
    Since: { show: 'from', none: 'unknown', headed: true },
  } satisfies Columns<Key>,
};

/** Tone and meaning. */
const keyStates: Readonly<Record<Key['state'], readonly [Tone, string]>> = {
  current: ['good', 'Signs tokens, or new secrets are derived from it'],
  pending: ['info', 'Will be current at that time'],
  kept: ['neutral', 'Verifies earlier tokens, or earlier secrets were derived from it'],
  retired: ['warn', 'No longer needed: remove it from this instance'],
  missing: ['bad', 'On record, but not on this instance'],
};

const ageText = ({ from }: Key, now: Date): string => {
  const ageMs = from === null ? Number.NaN : now.getTime() - Date.parse(from);
  return ageMs >= 0 ? durationText(ageMs) : '–';
};
