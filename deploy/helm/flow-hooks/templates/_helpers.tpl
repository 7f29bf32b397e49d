{{- define "flow-hooks.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Prefix of all names: of a Deployment's with its part, which Kubernetes limits to 63 characters. */}}
{{- define "flow-hooks.fullname" -}}
{{ .Values.fullnameOverride | default .Release.Name | trunc 53 | trimSuffix "-" }}
{{- end }}

{{- define "flow-hooks.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "flow-hooks.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{- define "flow-hooks.selector" -}}
app.kubernetes.io/name: {{ include "flow-hooks.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flow-hooks.labels" -}}
{{ include "flow-hooks.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/part-of: flow-hooks
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
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
