import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import type { RouteAnswer } from '../http/route-contract.js';
import { type Close, closingAll } from '../kernel/closing.js';
import { commandStores, type Stores } from '../service/stores/command-stores.js';
import type { Cause } from '../stores/event-store/codec.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { type Cluster, cluster } from '../stores/settings.js';
import { commandSettings } from './connection/settings.js';
import { type Remote, type Target, type TargetOptions, targetOf } from './connection/target.js';
import { UsageError } from './failure.js';
import { pageSizeOf } from './fields.js';
import { type Output, printWarning } from './output.js';
import { requestOf } from './parse-options.js';
import { progressOf } from './progress.js';

/** Fields of the parameters, the query and the body of a route, by their names or by those of their options. */
type Fields = Readonly<Record<string, unknown>>;

/** An operation of the admin API: of a service, or of the stores in this process. */
type Call = <Route extends AnyAdminRoute>(
  route: Route,
  fields?: Fields,
  signal?: AbortSignal,
) => Promise<RouteAnswer<Route>>;

/** The stores of this machine, for commands that no service does. */
export type Local = {
  dataDirectory: string;
  /** Undefined: the embedded store. Throws `InvalidConfiguration` where only one store URL is set. */
  cluster: () => Cluster | undefined;
  withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
  withEventStore: <Result>(work: (store: EventStore) => Promise<Result>) => Promise<Result>;
  causeNow: () => { cause: Cause; now: Date };
};

export type CommandContext = {
  output: Output;
  /** Throws `UsageError`, which names the option, before the call. */
  call: Call;
  /** The items of all pages of a list, or the first `max`. */
  allOf: <Route extends AnyAdminRoute>(
    route: Route,
    fields?: Fields,
    max?: number,
  ) => Promise<readonly ItemOf<Route>[]>;
  /** The service that the command works on; undefined: the stores of this machine. */
  remote: Remote | undefined;
  targetOptions: TargetOptions;
  /** All commands. */
  program: Command;
  /** Throws `UsageError` if the options or the environment name a service. */
  local: () => Local;
  /** Makes a signal end waits, from now on, instead of the process. */
  stopOnSignal: () => AbortSignal;
};

export type ItemOf<Route extends AnyAdminRoute> =
  RouteAnswer<Route> extends { items: readonly (infer Item)[] } ? Item : never;

type Options = TargetOptions & { dataDir: string; json?: boolean; fullScan?: boolean };

const programOf = (command: Command): Command => (command.parent ? programOf(command.parent) : command);

/** The context of a command, from its options and the environment. `onClose` gets the functions that close what it opens. */
export function contextOf(command: Command, onClose: (close: Close) => void): CommandContext {
  const options = command.optsWithGlobals<Options>();
  const { dataDir, json = false, fullScan = false } = options;
  const output: Output = { json, write: (line) => process.stdout.write(`${line}\n`) };
  const hasDataDirectory = command.getOptionValueSourceWithGlobals('dataDir') === 'cli';
  let found: Target | undefined;
  const target = () => (found ??= targetOf(options, hasDataDirectory, process.env));

  function local(): Local {
    const { namedBy } = target();
    if (namedBy !== undefined)
      throw new UsageError(`this works on the stores themselves: run it where they are, without ${namedBy}`);
    const dataDirectory = resolve(dataDir);
    const clusterGiven = () => commandSettings(cluster);
    const withStores: Local['withStores'] = (work) =>
      closingAll((onOpened) => work(commandStores({ dataDirectory, cluster: clusterGiven() }, onOpened)));
    const cause: Cause = { actor: `operator:${userInfo().username}`, correlationId: crypto.randomUUID() };
    return {
      dataDirectory,
      cluster: clusterGiven,
      withStores,
      withEventStore: (work) => withStores(async (stores) => work(await stores.events())),
      causeNow: () => ({ cause, now: new Date() }),
    };
  }

  async function connect() {
    const { remote } = target();
    if (remote && fullScan) local(); // refuses
    if (remote && !fullScan) {
      if (remote.profile !== undefined && process.stderr.isTTY) printWarning(`on ${remote.url}, as after login`);
      const { remoteCall } = await import('./connection/remote-api.js');
      return remoteCall(remote);
    }
    const { localCall } = await import('./connection/local-api.js');
    const { dataDirectory, cluster } = local();
    const progress = progressOf(output);
    onClose(progress.end);
    const onScanned = progress.positions('reading events');
    const stores = commandStores({ dataDirectory, cluster: cluster() }, onClose);
    return localCall({ dataDirectory, stores, onClose, command: { fullScan, onScanned }, stopping: stopping.signal });
  }

  const stopping = new AbortController();
  function stopOnSignal(): AbortSignal {
    const stop = () => stopping.abort();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    onClose(() => void process.off('SIGINT', stop).off('SIGTERM', stop));
    return stopping.signal;
  }

  let connected: ReturnType<typeof connect> | undefined;
  const call: Call = async (route, fields = {}, signal) => {
    const request = requestOf(route, fields);
    connected ??= connect();
    return (await connected)(route, request as never, signal); // it is valid
  };

  return {
    output,
    call,
    get remote() {
      return target().remote;
    },
    targetOptions: options,
    program: programOf(command),
    local,
    stopOnSignal,
    async allOf(route, fields = {}, max = Number.POSITIVE_INFINITY) {
      const items: unknown[] = [];
      let after: unknown;
      do {
        const limit = Math.min(pageSizeOf(route), max - items.length);
        const page = (await call(route, { ...fields, limit, after })) as {
          items: readonly unknown[];
          next: string | null;
        };
        items.push(...page.items);
        after = page.next ?? undefined;
      } while (after !== undefined && items.length < max);
      return items.slice(0, max) as never; // as the contract says
    },
  };
}
