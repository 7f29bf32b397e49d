import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { openMongoLeases } from '../../../src/stores/leases/mongodb/mongodb-leases.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import type { Told } from './processes.servers.test.js';

/** An instance that holds a lease whenever it can, and tells of each act that it takes itself to be entitled to. */
const [url = '', database = '', lease = ''] = process.argv.slice(2);
const tell = (told: Told) => void process.send?.(told);

openMongoLeases({ database: openMongoDb({ url, database }), log: pino({ level: 'silent' }) }).hold(
  lease,
  async ({ term, signal, isHeld }) => {
    while (!signal.aborted) {
      if (isHeld()) tell({ act: `${term}` });
      await pause(5);
    }
    tell({ ended: `${term}` });
  },
);
