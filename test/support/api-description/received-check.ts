import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '../../../src/http/api-description/openapi-document.js';
import type { Received } from '../receivers-of-listeners/receiver.js';
import type { ReachableService } from '../service/service.js';

type Request = {
  parameters: readonly { $ref: string }[];
  requestBody: { content: Readonly<Record<string, { schema: { $ref: string } }>> };
};

/** Throws an error that says how a delivery differs from the request that the service describes for events of its type. */
export async function receivedCheck(service: Pick<ReachableService, 'fetch'>): Promise<(received: Received) => void> {
  const document = (await service.fetch('/openapi.json')).body as OpenApiDocument;
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  const { parameters } = document.components as { parameters: Readonly<Record<string, { name: string }>> };

  return ({ body, headers }) => {
    const event = JSON.parse(body) as { type: string };
    const { post } = document.webhooks[event.type] ?? document.webhooks['flow.event'] ?? {};
    if (!post) throw new Error('the API description has no deliveries');
    const { parameters: described, requestBody } = post as unknown as Request;
    for (const { $ref } of described) {
      const { name } = parameters[$ref.replace('#/components/parameters/', '')] ?? {};
      if (name === undefined || headers[name] === undefined) throw new Error(`a delivery has no header ${name}`);
    }
    const { $ref = '' } = requestBody.content['application/json']?.schema ?? {};
    if (!ajv.validate(`api${$ref}`, event)) throw new Error(`${event.type}: ${ajv.errorsText()}`);
  };
}
