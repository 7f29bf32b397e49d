// The page /docs: shows the API description with Swagger UI, and sends requests to the service that the page is from.

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', followScheme);
followScheme();

const page = document.getElementById('docs');

/** The address of the service as this browser knows it: the page's own, without `/docs` or `/docs/`. */
const service = location.origin + location.pathname.replace(/\/docs\/?$/, '');

/** Names what Swagger UI leaves without a name, for screen readers, and lets the keyboard scroll its examples. */
function nameFields() {
  for (const field of page.querySelectorAll(
    'textarea:not([aria-label]), select:not([aria-label]), input:not([aria-label])',
  )) {
    const row = field.closest('tr')?.querySelector('.parameter__name')?.textContent;
    const name =
      row ?? (field.tagName === 'TEXTAREA' ? 'Request body' : (field.getAttribute('placeholder') ?? 'Server'));
    if (name) field.setAttribute('aria-label', name);
  }
  for (const example of page.querySelectorAll('.microlight:not([tabindex])')) example.setAttribute('tabindex', '0');
}

/** A summary is a button: a link within it would be unreachable. The address changes nevertheless, so that a route can be shared. */
const withoutLinks = ({ React }) => ({
  components: { DeepLink: ({ text }) => React.createElement('span', null, text) },
});

async function show() {
  const response = await fetch(`${service}/openapi.json`);
  if (!response.ok) throw new Error(`the API description is answered ${response.status}`);
  const spec = await response.json();
  spec.servers = [{ url: service, description: 'This service' }]; // its public address may be another one, which the CSP refuses
  window.SwaggerUIBundle({
    spec,
    dom_id: '#docs',
    plugins: [withoutLinks],
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'none', // a hundred routes take seconds to appear
    defaultModelsExpandDepth: -1, // schemas are shown where they are used
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
}

new MutationObserver(nameFields).observe(page, { childList: true, subtree: true });

show().catch((error) => {
  page.textContent = `The API description cannot be shown: ${error.message}. It is at ${service}/openapi.json.`;
});
