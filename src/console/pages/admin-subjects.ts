import type { Logger } from 'pino';
import type { SealCalls } from '../../admin/api/seals.js';
import type { Subject } from '../../site/page-view.js';
import { apiKeyPages } from './api-keys/api-keys.js';
import { auditPages } from './audit/history.js';
import { clientPages } from './clients/clients.js';
import { eventTypePages } from './event-types/event-types.js';
import { keyPages } from './keys/keys.js';
import { operationsPages } from './operations/operations.js';
import { organisationPages } from './organisations/organisations.js';
import { sessionPages } from './sessions/sessions.js';
import { setAsidePages } from './set-aside/set-aside.js';
import { taskPages } from './tasks/tasks.js';
import { viewPages } from './views/views.js';

export type AdminDependencies = { log: Logger; seals: SealCalls };

/** The pages for the administration of the service. */
export const adminSubjects = ({ log, seals }: AdminDependencies): readonly Subject[] => [
  viewPages,
  auditPages(seals),
  organisationPages(log),
  taskPages,
  sessionPages,
  eventTypePages,
  clientPages,
  apiKeyPages,
  keyPages,
  operationsPages,
  setAsidePages,
];
