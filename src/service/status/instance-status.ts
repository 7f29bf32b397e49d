import { hostname } from 'node:os';
import type { showServiceRoute } from '../../admin/api/contracts/service.js';
import type { PartStatus } from '../../http/health.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { Mode } from '../../kernel/settings/setting.js';
import { version } from '../../kernel/version.js';
import type { Cluster } from '../../stores/settings.js';
import type { ObservedView } from '../../views/follower.js';
import type { Role } from '../config/config.js';
import type { UnsafeSetting } from '../config/read-settings.js';
import type { Dispatcher } from '../dispatcher.js';
import type { MismatchCounts } from '../metrics/event-type-metrics.js';

type InstanceStatus = RouteAnswer<typeof showServiceRoute>;

type InstanceSettings = {
  mode: Mode;
  roles: ReadonlySet<Role>;
  cluster: Cluster | undefined;
  unsafe: readonly UnsafeSetting[];
};

type Instance = {
  ready: () => readonly PartStatus[];
  followers: readonly ObservedView[];
  /** Undefined if this instance delivers nothing. */
  dispatcher: Pick<Dispatcher, 'status'> | undefined;
  eventTypeMismatches: MismatchCounts['list'];
};

/** The state of this instance, for operators. */
export function instanceStatus(
  { mode, roles, cluster, unsafe }: InstanceSettings,
  { ready, followers, dispatcher, eventTypeMismatches }: Instance,
): () => InstanceStatus {
  const startedAt = new Date(performance.timeOrigin).toISOString();
  return () => {
    const delivering = dispatcher?.status();
    return {
      version,
      nodeVersion: process.versions.node,
      mode,
      host: hostname(),
      startedAt,
      roles: [...roles],
      stores: cluster ? 'servers' : 'embedded',
      memoryBytes: process.memoryUsage.rss(),
      parts: [...ready()],
      dispatcher: delivering
        ? {
            fanOutPosition: delivering.fanOut.position?.toString() ?? null,
            fanOutPartitions: delivering.fanOut.partitions,
            attemptsUnderWay: delivering.worker.underWay,
          }
        : null,
      leases: leasesOf(followers),
      eventTypeMismatches: [...eventTypeMismatches()],
      unsafe: [...unsafe],
    };
  };
}

function leasesOf(followers: Instance['followers']): InstanceStatus['leases'] {
  const leases = followers.flatMap((follower) => follower.status().lease ?? []);
  const byName = new Map(
    leases.map(({ name, held, holder }) => [name, { name, isHeld: held, holder: holder ?? null }]),
  );
  return [...byName.values()];
}
