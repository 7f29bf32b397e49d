{{- define "flow-hooks.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flow-hooks.labels" -}}
{{ include "flow-hooks.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "flow-hooks.host" -}}
{{ .Values.ingress.host | default (urlParse .Values.settings.PUBLIC_URL).host }}
{{- end }}

{{/* Data of the ConfigMap; a pod is replaced when it changes. */}}
{{- define "flow-hooks.settings" -}}
MODE: production
MASTER_KEYS: /run/secrets/flow-hooks/master-keys.txt
SIGNING_KEYS: /run/secrets/flow-hooks/signing-keys.json
ADMIN_KEYS: /run/secrets/flow-hooks/admin-keys.txt
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ if kindIs "float64" $value }}{{ $value | int64 | toString | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- end }}
