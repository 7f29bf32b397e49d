import type { Thread } from '../../kernel/threads/thread.js';
import type { DeliveryQueue } from './delivery-queue.js';

type Methods = Omit<DeliveryQueue, 'close'>;

/** Every method, by name: one that is added to the port has to be added here. */
const methods: Readonly<Record<keyof Methods, true>> = {
  enqueue: true,
  checkpoint: true,
  lease: true,
  record: true,
  redeliver: true,
  cancelReplay: true,
  closeGate: true,
  closedGates: true,
  listSetAside: true,
  explainSetAside: true,
  removeSetAside: true,
  waitingOrganisations: true,
  firstWaiting: true,
  counts: true,
  list: true,
  attempts: true,
  stats: true,
  activity: true,
  exhausted: true,
  listenerStates: true,
  listenersInTrouble: true,
  backlog: true,
  openBreakers: true,
  body: true,
  knownEvent: true,
  knownEvents: true,
  latestEvents: true,
  eventsByBeginning: true,
  purge: true,
  forgetPublished: true,
  forgetTerms: true,
  forgetDays: true,
  forgetOrganisation: true,
};

/** The queue of another thread, which also closes it. */
export function remoteQueue(thread: Pick<Thread<Methods>, 'call'>): Methods {
  const call =
    (name: keyof Methods) =>
    (...args: unknown[]) =>
      thread.call(name, ...(args as Parameters<Methods[typeof name]>));
  const names = Object.keys(methods) as (keyof Methods)[];
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Methods;
}
