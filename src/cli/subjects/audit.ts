import { showAsOfRoute, showHistoryRoute, showServiceHistoryRoute } from '../../admin/api/contracts/audit.js';
import { asOfColumns, history, serviceColumns } from '../audit/history.js';
import { recordedBetween } from '../fields.js';
import type { Subject } from '../route-command.js';

const seals = () => import('../audit/seals.js');

const fullScan = {
  '--full-scan': 'read all events instead of finding streams in a view: slower, needs no view, same answer',
};

export function addCommands({ add, addByHand }: Subject): void {
  add('history', showHistoryRoute, {
    about: 'every change to an organisation’s listeners, integration task and settings, in order, read from the events',
    texts: {
      ...recordedBetween,
      hookUrl: 'only of the listeners at this hook URL',
      listenerId: 'only of this listener',
      user: null,
    },
    flags: {
      '--user [user]': 'also sessions, consents and portal links of this user; without a name, of every user',
      '--limit <number>': 'only the latest, at most this number',
      ...fullScan,
    },
    runs: history,
  });
  add('service-history', showServiceHistoryRoute, {
    about:
      'every change to the registered clients, to the keys of the service and to event types, and every erasure, in order, read from the events',
    texts: recordedBetween,
    flags: fullScan,
    columns: serviceColumns,
    none: 'nothing has happened to clients, keys and event types of the service, and nothing was erased',
  });
  add('as-of', showAsOfRoute, {
    about: 'the listeners of an organisation at an instant, active and paused, read from the events',
    texts: {
      at: 'ISO 8601 with an offset, by the recorded times of events; or the position of an event of this store',
      hookUrl: 'only the listener at this hook URL',
    },
    flags: fullScan,
    columns: asOfColumns,
    none: ({ orgId }) => `${orgId} had no listeners`,
  });
  addByHand(
    'verify',
    'folds all events again and compares the result with every live view; lists the first 20 differences of each, and then ' +
      'ends with 1; a service may be running',
    () => import('../audit/verify.js'),
    'verify',
  );
  addByHand(
    'seal',
    'writes a signed digest of every listener, session, API key and consent up to now into a file, with which audit check ' +
      'later finds changed, added and removed events; keep a copy of the file where users who can write the store cannot write',
    seals,
    'seal',
  ).requiredOption('--to <file>', 'the seal: a file that does not exist yet');
  addByHand(
    'check',
    'finds events that were changed, added or removed since a seal, or that only some readers see, also in a copy of the store; lists the first ' +
      'difference of each stream, and then ends with 1',
    seals,
    'check',
  )
    .argument('<seal>', 'the file that audit seal wrote')
    .option(
      '--signed-by <thumbprint>',
      'trust only a seal by this signing key (RFC 7638), instead of all keys recorded in the store',
    );
}
