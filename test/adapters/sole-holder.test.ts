import { pino } from 'pino';
import type { Leases } from '../../src/stores/leases/leases.js';
import { soleHolder } from '../../src/stores/leases/sole-holder.js';
import { leasesContract } from '../contract/leases.js';

const places = new Map<string, Leases>();

leasesContract('one process', (place) => {
  const leases = places.get(place) ?? soleHolder({ log: pino({ level: 'silent' }), retryMs: 50 });
  places.set(place, leases);
  return leases;
});
