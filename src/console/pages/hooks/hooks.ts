import type { Subject } from '../../page-view.js';
import { changePages } from './change-hook.js';
import { explainPage } from './explain-hook.js';
import { listPages } from './hook-list.js';
import { hookPage } from './hook-page.js';
import { replayForm } from './replay-hook.js';
import { rotatePages } from './rotate-secret.js';
import { testPage } from './test-hook.js';
import { tryPage } from './try-hook.js';

/** `/hooks`: search of hooks; each hook with its timeline, its state at any instant, and what operators do to it. */
export const hookPages: Subject = (site) => {
  for (const pages of [listPages, hookPage, changePages, testPage, tryPage, rotatePages, replayForm, explainPage])
    pages(site);
};
