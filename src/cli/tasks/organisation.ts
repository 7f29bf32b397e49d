import { opaqueId } from '../../kernel/opaque-id.js';
import { checkedOptions } from '../checked-options.js';

export type OrganisationOptions = { readonly org?: string };

/** Null without `--org`: the service-wide default. Throws `InvalidRequest`. */
export const organisationOf = ({ org }: OrganisationOptions): string | null =>
  checkedOptions({ orgId: opaqueId.optional() }, { orgId: org }).orgId ?? null;
