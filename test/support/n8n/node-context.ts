import { rejection } from '../rejection.js';
import { packageOfNodes } from './built-nodes.js';

type Workflow = {
  NodeApiError: new (node: object, error: object) => Error;
};

/** Error of the HTTP client of n8n for an answer that is no success. */
class AxiosError extends Error {
  constructor(readonly response: { status: number; data: unknown }) {
    super(`Request failed with status code ${response.status}`);
  }
}

export type Credentials = {
  baseUrl: string;
  orgId?: string;
  apiKey?: string;
  oauthTokenData?: object;
};

type Options = {
  method: string;
  baseURL: string;
  url: string;
  headers: Record<string, string>;
  body?: unknown;
  qs?: Record<string, string>;
};

/** Context that n8n gives a node, as far as the nodes of `platforms/n8n` use it: requests go to a running service. */
export function nodeContext(parameters: Readonly<Record<string, unknown>>, credentials: Credentials) {
  const node = { name: 'Node', type: 'test', parameters };
  const staticData: Record<string, unknown> = {};
  const contexts: Record<string, unknown> = {};
  const { NodeApiError } = packageOfNodes<Workflow>('n8n-workflow');

  async function request(_type: string, { method, baseURL, url, headers, body, qs }: Options): Promise<unknown> {
    const { access_token: token } = (credentials.oauthTokenData ?? {}) as { access_token?: string };
    const answer = await fetch(`${baseURL}${url}${qs ? `?${new URLSearchParams(qs)}` : ''}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token ?? credentials.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new NodeApiError(node, error);
    });
    const data: unknown = await answer.json();
    if (!answer.ok) throw new NodeApiError(node, new AxiosError({ status: answer.status, data }));
    return data;
  }

  return {
    staticData,
    logged: [] as string[],
    runIndex: 0,
    items: [{ json: {} }] as readonly object[],
    continues: false,
    getNode: () => node,
    getNodeParameter: (name: string, ...fallbacks: readonly unknown[]) => parameters[name] ?? fallbacks.at(-1),
    getCredentials: async () => credentials,
    getNodeWebhookUrl: () => parameters.webhookUrl,
    getWorkflowStaticData: () => staticData,
    getContext: () => contexts,
    getTimezone: () => 'Europe/Zurich',
    getInputData() {
      return this.items;
    },
    continueOnFail() {
      return this.continues;
    },
    evaluateExpression() {
      return this.runIndex;
    },
    helpers: { httpRequestWithAuthentication: request },
    get logger() {
      return { warn: (text: string) => this.logged.push(text) };
    },
  };
}

export type NodeContext = ReturnType<typeof nodeContext>;

/** The error with which a node fails. */
export const failureOf = async (run: Promise<unknown>): Promise<Error> => (await rejection(run)) as Error; // nodes throw no others
