import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { Connections, host } from '../../../eventstoredb-double/src/connections.js';
import { answerTo, documentOf, onMessages, withDocument } from './wire-messages.js';

export type ReplicaSetMember = {
  /** The URL of the server behind this member, with the member's address. */
  url: string;
  /** Delays the next command for which `when` holds until `act` has ended. */
  beforeNext: (when: (command: Document) => boolean, act: () => Promise<void> | void) => void;
  /** Rejects commands as a secondary does, until the election makes this the primary again. */
  stepDown: (electionMs: number) => void;
  /**
   * Behaves as a primary that is partitioned from the other members and has not noticed: it serves its data, and no
   * majority acknowledges writes. From now on, commands for the database `of` go to a copy of it, made in `into`.
   */
  cutOff: (databases: { of: Db; into: Db }) => Promise<void>;
  close: () => Promise<void>;
};

const setName = 'members';
/** Fields of sessions, which the server behind may not support. */
const ofSessions: ReadonlySet<string> = new Set(['lsid', 'txnNumber', '$clusterTime']);

/**
 * Proxies the server of this URL, which names one host, as the primary of a replica set. Drivers therefore retry
 * writes, and tests can produce the faults of replica sets.
 */
export async function startReplicaSetMember(target: string): Promise<ReplicaSetMember> {
  const to = new URL(target);
  let isPrimary = true;
  let copy: { of: string; into: string } | undefined;
  let awaited: { when: (command: Document) => boolean; act: () => Promise<void> | void } | undefined;

  const connections = new Connections(0, (near) => {
    const far = connect({ host: to.hostname, port: Number(to.port), noDelay: true });
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    serve(near, far);
  });
  await connections.open();
  const address = `${host}:${connections.port}`;

  function serve(near: Socket, far: Socket): void {
    /** Transforms the pending answer; a driver sends no further command on the connection before it has the answer. */
    let change: (answer: Document) => Document | Promise<Document> = unchanged;

    onMessages(near, async (request) => {
      const command = documentOf(request);
      if (isHello(command)) change = asMember;
      else {
        await actAt(command);
        const refusal = await refusalOf(command);
        if (refusal) {
          near.write(answerTo(request, refusal));
          return;
        }
        change = copy && isForMajority(command) ? (answer) => unacknowledged(answer, command) : unchanged;
      }
      far.write(withDocument(request, forServer(command)));
    });
    onMessages(far, async (answer) => near.write(withDocument(answer, await change(documentOf(answer)))));
  }

  async function actAt(command: Document): Promise<void> {
    if (!awaited?.when(command)) return;
    const { act } = awaited;
    awaited = undefined;
    await act();
  }

  const asMember = ({ topologyVersion: _, msg: __, ...answer }: Document): Document => ({
    ...answer,
    setName,
    setVersion: 1,
    hosts: [address],
    me: address,
    logicalSessionTimeoutMinutes: 30,
    ismaster: isPrimary,
    isWritablePrimary: isPrimary,
    secondary: !isPrimary,
    ...(isPrimary && { primary: address }),
  });

  async function refusalOf(command: Document): Promise<Document | undefined> {
    if (!isPrimary) return notPrimary(command);
    if (!copy || command.readConcern?.level !== 'linearizable') return undefined;
    await pause(Number(command.maxTimeMS ?? 0));
    return { ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' };
  }

  const forServer = (command: Document): Document => ({
    ...Object.fromEntries(Object.entries(command).filter(([field]) => !ofSessions.has(field))),
    ...(copy?.of === command.$db && { $db: copy?.into }),
  });

  return {
    url: asMemberUrl(target, address),
    beforeNext(when, act) {
      awaited = { when, act };
    },
    stepDown(electionMs) {
      isPrimary = false;
      setTimeout(() => {
        isPrimary = true;
      }, electionMs).unref();
    },
    async cutOff({ of, into }) {
      await copyDatabase(of, into);
      copy = { of: of.databaseName, into: into.databaseName };
    },
    async close() {
      connections.close();
      await connections.cut();
    },
  };
}

function asMemberUrl(target: string, address: string): string {
  const url = new URL(target);
  url.host = address;
  url.searchParams.set('replicaSet', setName);
  return url.href;
}

async function copyDatabase(of: Db, into: Db): Promise<void> {
  for (const { name } of await of.listCollections({}, { nameOnly: true }).toArray()) {
    const documents = await of.collection(name).find().toArray();
    if (documents.length > 0) await into.collection(name).insertMany(documents);
  }
}

const unchanged = (answer: Document): Document => answer;
const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';
const isHello = (command: Document): boolean => ['hello', 'ismaster', 'isMaster'].includes(nameOf(command));
const isForMajority = ({ writeConcern }: Document): boolean => writeConcern?.w === 'majority';

/** A driver may retry a write that has a transaction number, by which a server detects duplicates. */
const notPrimary = (command: Document): Document => ({
  ok: 0,
  code: 10107,
  codeName: 'NotWritablePrimary',
  errmsg: 'not primary',
  ...(command.txnNumber !== undefined && { errorLabels: ['RetryableWriteError'] }),
});

/** The write was executed on this member only. */
async function unacknowledged(answer: Document, { writeConcern }: Document): Promise<Document> {
  await pause(Number(writeConcern.wtimeout));
  const timedOut = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' };
  return { ...answer, writeConcernError: { ...timedOut, errInfo: { wtimeout: true } } };
}
