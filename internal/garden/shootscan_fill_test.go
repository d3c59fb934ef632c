package garden

import (
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// fill gives every field of an API object a value, however deep it lies.
func fill(t testing.TB, object any) {
	t.Helper()
	fillValue(t, reflect.ValueOf(object).Elem())
}

func fillValue(t testing.TB, v reflect.Value) {
	t.Helper()
	switch special := v.Addr().Interface().(type) {
	case *metav1.Time:
		*special = metav1.NewTime(time.Unix(1_700_000_000, 0))
		return
	case *resource.Quantity:
		*special = resource.MustParse("1500m")
		return
	case *runtime.RawExtension:
		special.Raw = []byte(`{"kind":"Any"}`)
		return
	case *metav1.FieldsV1:
		special.Raw = []byte(`{"f:spec":{}}`)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("filled")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint('x')
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillValue(t, v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(t, key)
		fillValue(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(t, v.Field(i))
		}
	default:
		t.Fatalf("no value for a %s", v.Type())
	}
}
