import type { Logger } from 'pino';
import type { Subject } from '../page-view.js';
import { apiKeyPages } from './api-keys/api-keys.js';
import { auditPages } from './audit/audit.js';
import { clientPages } from './clients/clients.js';
import { keyPages } from './keys/keys.js';
import { organisationPages } from './organisations/organisations.js';
import { sessionPages } from './sessions/sessions.js';
import { setAsidePages } from './set-aside/set-aside.js';
import { taskPages } from './tasks/tasks.js';
import { viewPages } from './views/views.js';

/** The pages for the administration of the service. */
export const adminSubjects = ({ log }: { readonly log: Logger }): readonly Subject[] => [
  viewPages(),
  auditPages(),
  organisationPages(log),
  taskPages(),
  sessionPages(),
  clientPages(),
  apiKeyPages(),
  keyPages(),
  setAsidePages(),
];
