import type { Subject } from '../../page-view.js';
import { changePages } from './change-listener.js';
import { explainPage } from './explain-listener.js';
import { listenerForms } from './listener-form.js';
import { listPages } from './listener-list.js';
import { listenerPage } from './listener-page.js';
import { replayForm } from './replay-listener.js';
import { rotatePages } from './rotate-secret.js';
import { testPage } from './test-listener.js';
import { tryPage } from './try-listener.js';

export const listenerPages: Subject = (site) => {
  for (const pages of [
    listPages,
    listenerForms,
    listenerPage,
    changePages,
    testPage,
    tryPage,
    rotatePages,
    replayForm,
    explainPage,
  ])
    pages(site);
};
