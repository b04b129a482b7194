{{- define "lamina.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "lamina.selector" -}}
app.kubernetes.io/name: lamina
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "lamina.labels" -}}
{{ include "lamina.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "lamina.secret" -}}
{{- if .from.name }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .from.name }}
      key: {{ .from.key }}
{{- end }}
{{- end -}}

{{- define "lamina.setting" -}}
{{- if .value }}
- name: {{ .variable }}
  value: {{ .value | quote }}
{{- end }}
{{- end -}}

{{- define "lamina.environment" -}}
- name: LAMINA_HOST
  value: 0.0.0.0
- name: LAMINA_PORT
  value: "8787"
- name: LAMINA_AUTH
  value: jwt
- name: XDG_CACHE_HOME
  value: /tmp/cache
{{- include "lamina.setting" (dict "variable" "LAMINA_JWKS_URL" "value" .Values.auth.jwksUrl) }}
{{- include "lamina.setting" (dict "variable" "LAMINA_JWT_ISSUER" "value" .Values.auth.issuer) }}
{{- include "lamina.setting" (dict "variable" "LAMINA_JWT_AUDIENCE" "value" .Values.auth.audience) }}
{{- if not .Values.auth.jwksUrl }}
{{- include "lamina.secret" (dict "variable" "LAMINA_JWT_SECRET" "from" .Values.secrets.jwtSecret) }}
{{- end }}
{{- if eq .Values.engine "postgres" }}
{{- include "lamina.secret" (dict "variable" "LAMINA_DATABASE_URL" "from" .Values.secrets.databaseUrl) }}
{{- include "lamina.secret" (dict "variable" "LAMINA_DATABASE_OWNER_URL" "from" .Values.secrets.databaseOwnerUrl) }}
{{- else }}
- name: LAMINA_DATABASE_URL
  value: sqlite:/data
{{- end }}
{{- include "lamina.secret" (dict "variable" "LAMINA_REDIS_URL" "from" .Values.secrets.redisUrl) }}
{{- include "lamina.secret" (dict "variable" "LAMINA_OPENAI_API_KEY" "from" .Values.secrets.openaiApiKey) }}
{{- if .Values.secrets.masterKey.name }}
- name: LAMINA_MASTER_KEY_FILE
  value: /var/run/lamina/master.key
{{- end }}
{{- range $variable, $value := .Values.settings }}
- name: {{ $variable }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "lamina.masterKeyMount" -}}
- name: master-key
  mountPath: /var/run/lamina
  readOnly: true
{{- end -}}

{{- define "lamina.masterKeyVolume" -}}
- name: master-key
  secret:
    secretName: {{ .Values.secrets.masterKey.name }}
    # Of root, and readable by the group of the pod alone.
    defaultMode: 0440
    items:
      - key: {{ .Values.secrets.masterKey.key }}
        path: master.key
{{- end -}}

{{- define "lamina.pod" -}}
metadata:
  labels:
    {{- include "lamina.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "lamina.name" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 30
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: lamina
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      ports:
        - name: http
          containerPort: 8787
      env:
        {{- include "lamina.environment" . | nindent 8 }}
      startupProbe:
        httpGet: { path: /live, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
      lifecycle:
        # Until every proxy knows that this pod goes, it still answers..
        preStop:
          exec:
            command: [node, -e, 'setTimeout(() => {}, 5000)']
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- if eq .Values.engine "sqlite" }}
        - name: data
          mountPath: /data
        {{- end }}
        {{- if .Values.secrets.masterKey.name }}
        {{- include "lamina.masterKeyMount" . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 1Gi }
    {{- if .Values.secrets.masterKey.name }}
    {{- include "lamina.masterKeyVolume" . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
