import { keyAnswer } from '../answers/credentials.js';
import { exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { listOf } from './fields.js';

export const listKeysRoute = adminRoute({
  method: 'get',
  path: '/keys',
  subject: 'Keys',
  summary: 'List the signing keys and master keys',
  description: 'Of this instance and of the record, without key material.',
  answer: {
    schema: listOf(keyAnswer),
    example: {
      items: [{ kind: 'master', id: '2026-01', kid: null, state: 'current', from: exampleTimes.before }],
      next: null,
    },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const keyContracts = [listKeysRoute];
