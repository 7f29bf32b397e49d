import type { Cluster } from '../../../support/service/cluster.js';
import type { ServiceProcess } from '../../../support/service/service.js';

/** Two instances with default settings, which several suites use one after the other, each with its own organisations. */
export type TwoInstances = {
  cluster: () => Cluster;
  instances: () => readonly [ServiceProcess, ServiceProcess];
};
