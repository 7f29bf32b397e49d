import { serve, type TestServer } from '../serve.js';

/** Hands requests on to a service, and closes the connection instead of giving its first answer. */
export async function startLossyService(target: string): Promise<TestServer> {
  const server = await serve(async (response, request) => {
    const { method, path, body } = request;
    const { authorization = '', orgid = '' } = request.headers;
    const headers = { authorization, orgid: `${orgid}`, 'content-type': 'application/json' };
    const answer = await fetch(`${target}${path}`, { method, headers, body });
    const text = await answer.text();
    if (request === server.received[0]) response.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return server;
}
