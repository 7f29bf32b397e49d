import { pino } from 'pino';
import { openMongoLeases } from '../../src/stores/leases/mongodb/mongodb-leases.js';
import { leasesContract } from '../contract/leases.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';

const log = pino({ level: 'silent' });

onMongoDb('leases', ({ database }) =>
  leasesContract('MongoDB', (place) => openMongoLeases({ database: database(place), log, timings: { retryMs: 50 } })),
);
