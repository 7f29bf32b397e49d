import type { Subject } from '../page-view.js';
import { auditPages } from './audit/audit.js';
import { viewPages } from './views/views.js';

/** The pages for the administration of the service. */
export const adminSubjects = (): readonly Subject[] => [viewPages(), auditPages()];
