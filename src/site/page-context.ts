import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageRequest } from './page-request.js';

/** The request of the page that is rendered, for forms, filters and links to other pages of a list. */
export const PageContext = createContext<PageRequest | undefined>(undefined);

export function usePage(): PageRequest {
  const at = useContext(PageContext);
  if (!at) throw new Error('this is rendered outside of a page');
  return at;
}
