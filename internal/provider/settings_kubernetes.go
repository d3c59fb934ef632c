package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// gardenPlace is where the settings of the connection to the Garden stand.
var gardenPlace = kube.Place{
	API: "the Garden API", Object: "kubernetes", Namespace: "namespace", NamespaceOf: "the Gardener project",
	Prefix: "KUBE_", NamespaceVariable: "HAP_NAMESPACE",
}

// kubernetesFrom reads the connection settings; unknown names the attributes whose values are not known yet.
func kubernetesFrom(ctx context.Context, model providerModel) (settings kube.Settings, unknown []string, diags diag.Diagnostics) {
	note := func(name string, values ...attr.Value) {
		if !tfvalue.Known(values...) {
			unknown = append(unknown, name)
		}
	}
	note("namespace", model.Namespace)
	settings.Place, settings.Namespace = gardenPlace, model.Namespace.ValueStringPointer()
	if model.Kubernetes.IsUnknown() {
		return settings, append(unknown, "kubernetes"), diags
	}
	if model.Kubernetes.IsNull() {
		return settings, unknown, diags
	}
	for name, value := range model.Kubernetes.Attributes() {
		note("kubernetes."+name, value)
	}
	slices.Sort(unknown)
	if len(unknown) > 0 {
		return settings, unknown, diags
	}
	var k struct {
		Host                  *string  `tfsdk:"host"`
		Token                 *string  `tfsdk:"token"`
		Username              *string  `tfsdk:"username"`
		Password              *string  `tfsdk:"password"`
		Insecure              *bool    `tfsdk:"insecure"`
		TLSServerName         *string  `tfsdk:"tls_server_name"`
		ClientCertificate     *string  `tfsdk:"client_certificate"`
		ClientKey             *string  `tfsdk:"client_key"`
		ClusterCACertificate  *string  `tfsdk:"cluster_ca_certificate"`
		ConfigPath            *string  `tfsdk:"config_path"`
		ConfigPaths           []string `tfsdk:"config_paths"`
		ConfigRaw             *string  `tfsdk:"config_raw"`
		ConfigContext         *string  `tfsdk:"config_context"`
		ConfigContextAuthInfo *string  `tfsdk:"config_context_auth_info"`
		ConfigContextCluster  *string  `tfsdk:"config_context_cluster"`
		ProxyURL              *string  `tfsdk:"proxy_url"`
		Exec                  *struct {
			APIVersion *string           `tfsdk:"api_version"`
			Command    string            `tfsdk:"command"`
			Args       []string          `tfsdk:"args"`
			Env        map[string]string `tfsdk:"env"`
		} `tfsdk:"exec"`
	}
	diags.Append(model.Kubernetes.As(ctx, &k, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return settings, unknown, diags
	}
	settings = kube.Settings{
		Host: k.Host, Token: k.Token, Username: k.Username, Password: k.Password, Insecure: k.Insecure, TLSServerName: k.TLSServerName,
		ClientCertificate: k.ClientCertificate, ClientKey: k.ClientKey, ClusterCACertificate: k.ClusterCACertificate,
		ConfigPath: k.ConfigPath, ConfigPaths: k.ConfigPaths, ConfigRaw: k.ConfigRaw, ConfigContext: k.ConfigContext,
		ConfigContextAuthInfo: k.ConfigContextAuthInfo, ConfigContextCluster: k.ConfigContextCluster, ProxyURL: k.ProxyURL,
		Place: gardenPlace, Namespace: settings.Namespace,
	}
	if k.Exec != nil {
		settings.Exec = &kube.Exec{Command: k.Exec.Command, Args: k.Exec.Args, Env: k.Exec.Env}
		if k.Exec.APIVersion != nil {
			settings.Exec.APIVersion = *k.Exec.APIVersion
		}
	}
	return settings, unknown, diags
}

func kubernetesAttributes() map[string]schema.Attribute {
	text := func(variable, description string) schema.StringAttribute {
		if variable != "" {
			description += " Environment variable `" + variable + "`."
		}
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	secret := func(variable, description string) schema.StringAttribute {
		a := text(variable, description)
		a.Sensitive = true
		return a
	}
	return map[string]schema.Attribute{
		"host":     text("KUBE_HOST", "The URL of the API server."),
		"token":    secret("KUBE_TOKEN", "A bearer token."),
		"username": text("KUBE_USER", "The user of basic authentication."),
		"password": secret("KUBE_PASSWORD", "The password of basic authentication."),
		"insecure": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether to take any server certificate. Environment variable `KUBE_INSECURE`."},
		"tls_server_name":        text("KUBE_TLS_SERVER_NAME", "The name to check the server certificate against, where it is not the host's."),
		"client_certificate":     text("KUBE_CLIENT_CERT_DATA", "A client certificate as PEM text."),
		"client_key":             secret("KUBE_CLIENT_KEY_DATA", "The key of the client certificate as PEM text."),
		"cluster_ca_certificate": text("KUBE_CLUSTER_CA_CERT_DATA", "The CA certificates of the server as PEM text."),
		"config_path": text("KUBE_CONFIG_PATH",
			"The path of a kubeconfig. `~` is the home folder. Excludes `config_paths` and `config_raw`."),
		"config_paths": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			Validators: []validator.List{listvalidator.NoNullValues()}, MarkdownDescription: "Paths of kubeconfigs to merge as kubectl does. " +
				"Environment variable `KUBE_CONFIG_PATHS`, joined by the system's list separator."},
		"config_raw":               secret("", "A kubeconfig as text. Excludes `config_path` and `config_paths`."),
		"config_context":           text("KUBE_CTX", "The context to take from the kubeconfig."),
		"config_context_auth_info": text("KUBE_CTX_AUTH_INFO", "The user to take instead of the context's."),
		"config_context_cluster":   text("KUBE_CTX_CLUSTER", "The cluster to take instead of the context's."),
		"proxy_url":                text("KUBE_PROXY_URL", "The proxy to use: http, https or socks5."),
		"exec": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "A program that prints credentials, as in a kubeconfig.",
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{Optional: true,
					MarkdownDescription: "The version of `ExecCredential` that the program prints. Default `client.authentication.k8s.io/v1`."},
				"command": schema.StringAttribute{Required: true, MarkdownDescription: "The program."},
				"args": schema.ListAttribute{Optional: true, ElementType: types.StringType,
					Validators: []validator.List{listvalidator.NoNullValues()}, MarkdownDescription: "Its arguments."},
				"env": schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.NoNullValues()},
					MarkdownDescription: "Variables that it gets in addition.", Sensitive: true},
			},
		},
	}
}
